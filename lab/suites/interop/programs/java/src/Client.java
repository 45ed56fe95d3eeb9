import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.client.AuthorizedClientServiceOAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.InMemoryOAuth2AuthorizedClientService;
import org.springframework.security.oauth2.client.OAuth2AuthorizeRequest;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientProviderBuilder;
import org.springframework.security.oauth2.client.endpoint.NimbusJwtClientAuthenticationParametersConverter;
import org.springframework.security.oauth2.client.endpoint.OAuth2ClientCredentialsGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientClientCredentialsTokenResponseClient;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.client.registration.InMemoryClientRegistrationRepository;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;

/**
 * Gets tokens with Spring Security: one for each line that it reads. Writes {"ok": ..., "token":
 * ...}. {@code default} is the library as it comes; {@code ready} has the lines that this service
 * requires. {@code key} and {@code key-ready} authenticate with a key.
 */
public final class Client {
  private static RestClientClientCredentialsTokenResponseClient createTokenClient(boolean ready)
      throws ParseException {
    var key = JWK.parse(System.getenv("PRIVATE_JWK"));
    var converter =
        new NimbusJwtClientAuthenticationParametersConverter<OAuth2ClientCredentialsGrantRequest>(
            registration -> key);
    if (ready) {
      converter.setJwtClientAssertionCustomizer(
          context -> context.getClaims().audience(List.of(System.getenv("ISSUER"))));
    }
    var client = new RestClientClientCredentialsTokenResponseClient();
    client.addParametersConverter(converter);
    return client;
  }

  private static OAuth2AuthorizedClientManager createManager(String mode) throws ParseException {
    var withKey = mode.startsWith("key");
    var tokenClient = withKey ? createTokenClient(mode.equals("key-ready")) : null;
    var registration =
        ClientRegistrations.fromIssuerLocation(System.getenv("ISSUER"))
            .registrationId("api")
            .clientId(System.getenv("CLIENT_ID"))
            .clientSecret(System.getenv("CLIENT_SECRET"))
            .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
            .scope(System.getenv().getOrDefault("SCOPE", "messaging:view").split(" "));
    if (withKey) {
      registration.clientAuthenticationMethod(ClientAuthenticationMethod.PRIVATE_KEY_JWT);
    }
    var registrations = new InMemoryClientRegistrationRepository(registration.build());
    var manager =
        new AuthorizedClientServiceOAuth2AuthorizedClientManager(
            registrations, new InMemoryOAuth2AuthorizedClientService(registrations));
    manager.setAuthorizedClientProvider(
        OAuth2AuthorizedClientProviderBuilder.builder()
            .clientCredentials(
                provider -> {
                  if (mode.equals("ready")) provider.clockSkew(Duration.ofSeconds(10));
                  if (withKey) provider.accessTokenResponseClient(tokenClient);
                })
            .build());
    return manager;
  }

  public static void main(String[] args) throws Exception {
    var roles = AuthorityUtils.createAuthorityList("ROLE_NONE");
    var principal = new AnonymousAuthenticationToken("key", "service", roles);
    var request =
        OAuth2AuthorizeRequest.withClientRegistrationId("api").principal(principal).build();
    OAuth2AuthorizedClientManager manager = null;
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      Map<String, Object> answer;
      try {
        if (manager == null) manager = createManager(args[1]);
        var token = manager.authorize(request).getAccessToken().getTokenValue();
        answer = Map.of("ok", true, "token", token);
      } catch (Exception error) {
        var why = error.getClass().getSimpleName() + ": " + error.getMessage();
        answer = Map.of("ok", false, "why", why.substring(0, Math.min(200, why.length())));
      }
      System.out.println(JSONObjectUtils.toJSONString(answer));
    }
  }
}
