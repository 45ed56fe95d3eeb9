import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.Map;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.client.AuthorizedClientServiceOAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.InMemoryOAuth2AuthorizedClientService;
import org.springframework.security.oauth2.client.OAuth2AuthorizeRequest;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientProviderBuilder;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.client.registration.InMemoryClientRegistrationRepository;
import org.springframework.security.oauth2.core.AuthorizationGrantType;

/**
 * Gets tokens with Spring Security: one for each line that it reads. Writes {"ok": ..., "token":
 * ...}. {@code default} is the library as it comes; {@code ready} has the lines that this service
 * requires.
 */
public final class Client {
  private static OAuth2AuthorizedClientManager createManager(boolean ready) {
    var registration =
        ClientRegistrations.fromIssuerLocation(System.getenv("ISSUER"))
            .registrationId("api")
            .clientId(System.getenv("CLIENT_ID"))
            .clientSecret(System.getenv("CLIENT_SECRET"))
            .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
            .scope("messaging:view")
            .build();
    var registrations = new InMemoryClientRegistrationRepository(registration);
    var manager =
        new AuthorizedClientServiceOAuth2AuthorizedClientManager(
            registrations, new InMemoryOAuth2AuthorizedClientService(registrations));
    manager.setAuthorizedClientProvider(
        OAuth2AuthorizedClientProviderBuilder.builder()
            .clientCredentials(
                provider -> {
                  if (ready) provider.clockSkew(Duration.ofSeconds(10));
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
        if (manager == null) manager = createManager(args[1].equals("ready"));
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
