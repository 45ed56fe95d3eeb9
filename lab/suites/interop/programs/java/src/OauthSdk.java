import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.AsymmetricJWK;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.oauth2.sdk.ClientCredentialsGrant;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenResponse;
import com.nimbusds.oauth2.sdk.auth.ClientAuthentication;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.PrivateKeyJWT;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.id.ClientID;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.util.Map;

/**
 * Gets tokens with the OAuth 2.0 SDK of Nimbus: one for each line that it reads. Writes {"ok": ...,
 * "token": ...}. {@code key} and {@code key-ready} authenticate with a key.
 */
public final class OauthSdk {
  private static ClientAuthentication authenticate(boolean withKey) throws Exception {
    var id = new ClientID(System.getenv("CLIENT_ID"));
    if (!withKey) return new ClientSecretBasic(id, new Secret(System.getenv("CLIENT_SECRET")));
    var key = (AsymmetricJWK) JWK.parse(System.getenv("PRIVATE_JWK"));
    var issuer = URI.create(System.getenv("ISSUER"));
    var algorithm = JWSAlgorithm.parse(System.getenv("KEY_ALG"));
    return new PrivateKeyJWT(id, issuer, algorithm, key.toPrivateKey(), null, null);
  }

  private static String getToken(boolean withKey) throws Exception {
    var address = URI.create(System.getenv("TOKEN_URL"));
    var request =
        new TokenRequest.Builder(address, authenticate(withKey), new ClientCredentialsGrant())
            .scope(new Scope("messaging:view"))
            .build();
    var response = TokenResponse.parse(request.toHTTPRequest().send());
    if (!response.indicatesSuccess()) {
      throw new IllegalStateException(response.toErrorResponse().toJSONObject().toJSONString());
    }
    return response.toSuccessResponse().getTokens().getAccessToken().getValue();
  }

  public static void main(String[] args) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      Map<String, Object> answer;
      try {
        answer = Map.of("ok", true, "token", getToken(args[1].startsWith("key")));
      } catch (Exception error) {
        var why = error.getClass().getSimpleName() + ": " + error.getMessage();
        answer = Map.of("ok", false, "why", why.substring(0, Math.min(200, why.length())));
      }
      System.out.println(JSONObjectUtils.toJSONString(answer));
    }
  }
}
